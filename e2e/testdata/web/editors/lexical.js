// A Lexical rich text editor, as its own guide sets one up.
import { createEditor, $getRoot } from 'lexical';
import { registerRichText } from '@lexical/rich-text';

const editor = createEditor({ onError: e => { throw e; } });
editor.setRootElement(document.querySelector('#editor'));
registerRichText(editor);
window.read = () => editor.getEditorState().read(() => $getRoot().getTextContent());
