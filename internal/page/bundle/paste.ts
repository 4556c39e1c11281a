// Text for code editors, as if it came from the clipboard.
import { dispatch } from './dom';
import { fieldOf } from './editable';
import { resolve } from './locate';
import type { PasteArgs, Pasted } from './pagefn.gen';
import { retry } from './wait';

/**
 * paste hands an editor text in one piece, so that it neither indents the lines nor closes
 * the brackets. The user's clipboard is not touched.
 */
export function paste(args: PasteArgs): Promise<Pasted> {
  return retry({ timeoutMs: 0 }, () => {
    const data = new DataTransfer();
    data.setData('text/plain', args.text);
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true, composed: true });
    return { taken: !dispatch(fieldOf(resolve(args.target)), event) };
  });
}
