// A CodeMirror 6 editor with all that its basic setup brings: indentation, brackets that
// close themselves, completion.
import { basicSetup } from 'codemirror';
import { EditorView } from '@codemirror/view';

const view = new EditorView({
  parent: document.querySelector('#place'),
  extensions: [basicSetup, EditorView.contentAttributes.of({ 'aria-label': 'Message' })],
});
window.read = () => view.state.doc.toString();
