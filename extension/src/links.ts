// Links are the sockets to all servers that live, as the host's list tells, and to
// those that the user named by hand.

import { Link } from './link';
import type { Office } from './link';
import type { Server } from './wire.gen';

// A server named by hand is in nobody's list, so dialling alone tells that it is gone.
const manualTries = 6;

// Links holds one link a server.
export class Links {
  private readonly links = new Map<string, Link>();

  constructor(private readonly office: Office, private readonly gone: (server: string) => void) {}

  all(): Link[] {
    return [...this.links.values()];
  }

  get(id: string): Link | undefined {
    return this.links.get(id);
  }

  // update takes the host's list: new servers are dialled, lost ones closed.
  update(servers: Server[]): void {
    const listed = new Set(servers.map((server) => server.sessionId));
    for (const link of this.all()) {
      if (!listed.has(link.id) && !link.manual) this.end(link);
    }
    for (const server of servers) this.put(server, false);
  }

  // add takes a server that the user named.
  add(server: Server): void {
    this.put(server, true);
  }

  private put(server: Server, manual: boolean): void {
    let link = this.links.get(server.sessionId);
    if (!link) {
      link = new Link(server, this.office, manual);
      this.links.set(server.sessionId, link);
    } else {
      link.update(server);
    }
    link.dial();
  }

  // wake dials what is closed.
  wake(): void {
    for (const link of this.all()) {
      if (link.manual && link.tries >= manualTries) this.end(link);
      else link.dial();
    }
  }

  // retry is wake for a user who asked: what was refused is dialled too.
  retry(): void {
    for (const link of this.all()) link.retry();
  }

  // closeAll ends every link when the user stops the work. The servers live on.
  closeAll(): void {
    for (const link of this.all()) link.close(true);
    this.links.clear();
  }

  private end(link: Link): void {
    this.links.delete(link.id);
    link.close();
    this.gone(link.id);
  }
}
