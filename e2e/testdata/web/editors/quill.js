// A Quill editor with its toolbar.
import Quill from 'quill';

const quill = new Quill('#place', { theme: 'snow' });
quill.root.setAttribute('role', 'textbox');
quill.root.setAttribute('aria-label', 'Message');
// Quill keeps one line end behind the last line.
window.read = () => quill.getText().replace(/\n$/, '');
