// A Monaco editor, from the files that its package serves to browsers.
require.config({ paths: { vs: '/npm/monaco-editor/min/vs' } });
require(['vs/editor/editor.main'], () => {
  const editor = monaco.editor.create(document.querySelector('#place'), {
    language: 'plaintext', ariaLabel: 'Message', minimap: { enabled: false }, editContext: !location.search.includes('textarea'),
  });
  window.read = () => editor.getValue();
});
