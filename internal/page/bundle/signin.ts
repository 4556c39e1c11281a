// What a page shows of signing in. It only collects; what it means is judged in Go.
import { allRoots, attr, baseURI, bodyOf, closest, documentElement, docTitle, fold, innerText, query, textContent, within } from './dom';
import { inputType } from './controls';
import { clip } from './failure';
import { nameOf } from './names';
import type { SignIn } from './pagefn.gen';
import { isVisible } from './style';

const few = 12;

/** signIn collects the signs of a page that wants its visitor to sign in. */
export function signIn(): SignIn {
  const fields = visible('input,textarea,[contenteditable=""],[contenteditable=true]').filter(takesText);
  const passwords = fields.filter(el => inputType(el) === 'password');
  const chosen = passwords.filter(el => /\bnew-password\b/i.test(attr(el, 'autocomplete') ?? ''));
  const users = fields.filter(el => inputType(el) !== 'password' && isUser(el));
  const codes = fields.filter(el => /\bone-time-code\b/i.test(attr(el, 'autocomplete') ?? ''));
  const key = passwords[0] ?? codes[0] ?? users[0];
  const form = key ? closest(key, 'form,[role=form],dialog,[role=dialog]') : null;
  return {
    password: passwords.length - chosen.length,
    newPassword: chosen.length,
    user: users.length,
    code: codes.length,
    fields: fields.length,
    form: form ? formName(form) : '',
    title: clip(docTitle(document), 200),
    headings: visible('h1,h2,h3,legend,[role=heading]').slice(0, 5).map(el => clip(fold(textContent(el) ?? ''), 120)),
    buttons: visible('button,input[type=submit],input[type=button],input[type=image],[role=button],a[class*=btn],a[class*=button]').slice(0, few).map(el => clip(nameOf(el), 60)),
    words: wordsBeside(form),
  };
}

function visible(selector: string): Element[] {
  const found: Element[] = [];
  for (const root of allRoots()) for (const el of query(root, selector)) if (isVisible(el)) found.push(el);
  return found;
}

function takesText(el: Element): boolean {
  return !/^(hidden|submit|button|image|reset|checkbox|radio|file|range|color)$/.test(inputType(el));
}

function isUser(el: Element): boolean {
  const text = ['autocomplete', 'name', 'id', 'placeholder', 'aria-label'].map(a => attr(el, a) ?? '').join(' ');
  return inputType(el) === 'email' || /\b(username|webauthn)\b/i.test(attr(el, 'autocomplete') ?? '') || /user|login|log_in|e-?mail|account|identifier|phone|benutzer|usuario|utilisateur/i.test(text);
}

// The action says where a form leads; without one its names say what it is.
function formName(form: Element): string {
  let path = '';
  try {
    const action = attr(form, 'action');
    if (action) path = new URL(action, baseURI(form)).pathname;
  } catch {
    // an action that is no address says nothing
  }
  return clip([path, attr(form, 'id'), attr(form, 'name'), attr(form, 'class'), attr(form, 'aria-label')].filter(Boolean).join(' '), 300);
}

function wordsBeside(form: Element | null): number {
  const body = bodyOf(document) ?? documentElement(document);
  if (!body) return 0;
  const count = (el: Element) => (innerText(el) ?? '').split(/\s+/).filter(Boolean).length;
  return Math.max(0, count(body) - (form && within(form, body) ? count(form) : 0));
}
