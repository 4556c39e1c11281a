// A CodeMirror 5 editor: it takes text through a hidden field.
import CodeMirror from 'codemirror5';

const editor = CodeMirror(document.querySelector('#place'), { lineNumbers: true, screenReaderLabel: 'Message' });
window.read = () => editor.getValue();
