// Small tools to keep a page equal to a state without rebuilding it: what is right
// already is not touched, so focus, selection and animations stay.

// parsed is when the page is whole. The scripts run before it is, so that no press is
// lost: a button that can be seen already works.
export const parsed = new Promise<void>((done) => {
  if (document.readyState !== 'loading') {
    done();
  } else {
    document.addEventListener('DOMContentLoaded', () => done(), { once: true });
  }
});

// onPress calls fn when the element with the id is pressed, also one that is not there yet.
export function onPress(id: string, fn: () => void): void {
  document.addEventListener('click', (event) => {
    if ((event.target as Element).closest(`#${id}`)) {
      fn();
    }
  });
}

// byId finds an element that the page's HTML is known to have.
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const el = document.getElementById(id);
  if (!el) {
    throw new Error(`the page has no #${id}`);
  }
  return el as T;
}

// field finds the element in root that is marked with a data-field.
export function field(root: Element, name: string): HTMLElement {
  const el = root.querySelector<HTMLElement>(`[data-field="${name}"]`);
  if (!el) {
    throw new Error(`no field ${name}`);
  }
  return el;
}

export function setText(el: Element, text: string): void {
  if (el.textContent !== text) {
    el.textContent = text;
  }
}

// stamp makes the first element of a template.
export function stamp(id: string): HTMLElement {
  const el = byId<HTMLTemplateElement>(id).content.firstElementChild;
  return document.importNode(el as HTMLElement, true);
}

// sync makes list hold one element an item, in order, and keeps those it has.
export function sync<T>(
  list: Element,
  items: readonly T[],
  key: (item: T) => string,
  make: (item: T) => HTMLElement,
  update: (el: HTMLElement, item: T) => void,
): void {
  const have = new Map([...list.children].map((el) => [(el as HTMLElement).dataset.key, el as HTMLElement]));
  items.forEach((item, i) => {
    let el = have.get(key(item));
    if (!el) {
      el = make(item);
      el.dataset.key = key(item);
    }
    have.delete(key(item));
    update(el, item);
    if (list.children[i] !== el) {
      list.insertBefore(el, list.children[i] ?? null);
    }
  });
  for (const el of have.values()) {
    el.remove();
  }
}

// words keeps each word of a command on one line where it fits: a line that breaks
// within "--flag" is read wrongly.
function words(text: string): Node[] {
  return text.split(' ').flatMap((word, i) => {
    const span = document.createElement('span');
    span.textContent = word;
    return i === 0 ? [span] : [document.createTextNode(' '), span];
  });
}

// showCommand puts a line for the terminal into slot, with a button that copies it.
export function showCommand(slot: Element, text: string): void {
  if (slot.querySelector('code')?.textContent === text) {
    return;
  }
  const box = stamp('command-box');
  const copy = box.querySelector('button') as HTMLButtonElement;
  box.querySelector('code')?.append(...words(text));
  const idle = () => {
    delete copy.dataset.done;
    setText(copy, 'Copy');
  };
  idle();
  copy.setAttribute('aria-live', 'polite');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    copy.dataset.done = '';
    setText(copy, 'Copied');
    setTimeout(idle, 2000);
  });
  slot.replaceChildren(box);
}
