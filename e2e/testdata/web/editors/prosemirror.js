// A ProseMirror editor with the usual keys; Shift+Enter makes a hard break.
import { baseKeymap, chainCommands, exitCode } from 'prosemirror-commands';
import { history } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';

const hardBreak = chainCommands(exitCode, (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(schema.nodes.hard_break.create()).scrollIntoView());
  return true;
});
const view = new EditorView(document.querySelector('#place'), {
  state: EditorState.create({ schema, plugins: [history(), keymap({ 'Shift-Enter': hardBreak }), keymap(baseKeymap)] }),
  attributes: { role: 'textbox', 'aria-label': 'Message' },
});
window.read = () => view.state.doc.textBetween(0, view.state.doc.content.size, '\n', node => (node.type.name === 'hard_break' ? '\n' : ''));
