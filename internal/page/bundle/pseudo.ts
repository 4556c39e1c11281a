// Which elements have text in ::before or ::after. To ask each element for the style of
// its pseudo-elements takes longer than all the rest of a snapshot, so the style sheets
// are asked which elements can have any.
import { allRoots, query, sheetsOf } from './dom';
import { contentText, type Counters } from './contentstring';
import { countersIn, type Marked, type Place } from './counters';
import { onFresh } from './style';

type Pseudo = '::before' | '::after';

const compute = window.getComputedStyle.bind(window) as (el: Element, pseudo: string) => CSSStyleDeclaration;

interface Found {
  '::before': string[]; // selectors
  '::after': string[];
  counting: Record<Place, string[]>; // selectors of what sets counters
  blind: boolean; // there are rules that cannot be read
}

const sheets = new WeakMap<CSSStyleSheet, { rules: number; found: Found }>();

interface Pass {
  '::before': Set<Element>;
  '::after': Set<Element>;
  counting: Marked;
  counters?: (el: Element, place: Place) => Counters;
  blind: boolean;
}

let pass: Pass | null = null;
onFresh(() => (pass = null));

/** generated is the text of a pseudo-element as far as the style sheets tell. */
export function generated(el: Element, pseudo: Pseudo): string {
  pass ??= look();
  return pass[pseudo].has(el) ? said(pass, el, pseudo) : '';
}

/** generatedForName asks the element itself when a style sheet cannot be read. */
export function generatedForName(el: Element, pseudo: Pseudo): string {
  pass ??= look();
  return pass.blind || pass[pseudo].has(el) ? said(pass, el, pseudo) : '';
}

function said(p: Pass, el: Element, pseudo: Pseudo): string {
  const { content } = compute(el, pseudo);
  if (!content.includes('counter')) return contentText(content);
  p.counters ??= countersIn({
    '': p.counting[''],
    '::before': new Set([...p.counting['::before'], ...p['::before']]),
    '::after': new Set([...p.counting['::after'], ...p['::after']]),
  });
  return contentText(content, p.counters(el, pseudo));
}

function look(): Pass {
  const counting = { '': new Set<Element>(), '::before': new Set<Element>(), '::after': new Set<Element>() };
  const out: Pass = { '::before': new Set(), '::after': new Set(), counting, blind: false };
  for (const root of allRoots()) {
    for (const sheet of sheetsOf(root)) {
      const found = readSheet(sheet);
      out.blind ||= found.blind;
      for (const pseudo of ['::before', '::after'] as const) {
        for (const selector of found[pseudo]) out.blind = !collect(root, selector, out[pseudo]) || out.blind;
      }
      for (const place of ['', '::before', '::after'] as const) {
        for (const selector of found.counting[place]) collect(root, selector, counting[place]);
      }
    }
    collect(root, '[style*="counter-"]', counting['']);
  }
  return out;
}

function collect(root: Document | ShadowRoot, selector: string, into: Set<Element>): boolean {
  if (/:host|::slotted|::part/.test(selector)) return false;
  try {
    for (const el of query(root, selector)) into.add(el);
    return true;
  } catch {
    return false;
  }
}

function readSheet(sheet: CSSStyleSheet): Found {
  const fresh: Found = { '::before': [], '::after': [], counting: { '': [], '::before': [], '::after': [] }, blind: false };
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    return { ...fresh, blind: true };
  }
  const known = sheets.get(sheet);
  if (known && known.rules === rules.length) return known.found;
  readRules(rules, '', fresh);
  sheets.set(sheet, { rules: rules.length, found: fresh });
  return fresh;
}

function readRules(rules: CSSRuleList, parent: string, found: Found): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      readRule(rule, parent, found);
    } else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) {
        const inner = readSheet(rule.styleSheet);
        found['::before'].push(...inner['::before']);
        found['::after'].push(...inner['::after']);
        for (const place of ['', '::before', '::after'] as const) found.counting[place].push(...inner.counting[place]);
        found.blind ||= inner.blind;
      }
    } else if ('cssRules' in rule) {
      readRules((rule as CSSGroupingRule).cssRules, parent, found);
    }
  }
}

function readRule(rule: CSSStyleRule, parent: string, found: Found): void {
  const nested = rule.cssRules;
  const selector = rule.selectorText;
  if (/:(before|after)/.test(selector) && speaks(rule.style.content)) {
    for (const part of selector.split(/,(?![^(]*\))/)) {
      const m = /^(.*?)::?(before|after)\b/.exec(part.trim());
      if (m) found[`::${m[2] as 'before' | 'after'}`].push(within(parent, base(m[1]!)));
    }
  }
  if (rule.style.counterReset || rule.style.counterIncrement || rule.style.counterSet) {
    for (const part of selector.split(/,(?![^(]*\))/)) {
      const m = /^(.*?)(?:::?(before|after)\b.*)?$/s.exec(part.trim());
      if (!m) continue;
      const place: Place = m[2] ? `::${m[2] as 'before' | 'after'}` : '';
      found.counting[place].push(within(parent, place ? base(m[1]!) : m[1]!));
    }
  }
  if (nested?.length) readRules(nested, within(parent, selector), found);
}

const base = (s: string) => (s === '' || /[\s>+~]$/.test(s) ? s + '*' : s);

function within(parent: string, selector: string): string {
  if (!parent) return selector;
  return selector.includes('&') ? selector.replaceAll('&', `:is(${parent})`) : `:is(${parent}) ${selector}`;
}

// Most generated content is decoration: nothing at all, or the glyph of an icon font.
function speaks(content: string): boolean {
  return /attr\(|var\(|counter/.test(content) || contentText(content).trim() !== '';
}
