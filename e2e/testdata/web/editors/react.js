// A React form whose fields hold what the state says, and nothing else.
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

function Form() {
  const [form, setForm] = useState({ title: '', message: '', size: 's', gift: false });
  window.model = form;
  window.read = () => window.model.message;
  const set = name => e => {
    const { type, checked, value } = e.target; // React may call back after the event
    setForm(old => ({ ...old, [name]: type === 'checkbox' ? checked : value }));
  };
  return h('form', { onSubmit: e => { e.preventDefault(); window.sent = form; } },
    h('label', null, 'Title', h('input', { value: form.title, onChange: set('title') })),
    h('label', null, 'Message', h('textarea', { value: form.message, onChange: set('message') })),
    h('label', null, 'Size', h('select', { value: form.size, onChange: set('size') },
      h('option', { value: 's' }, 'Small'), h('option', { value: 'l' }, 'Large'))),
    h('label', null, h('input', { type: 'checkbox', checked: form.gift, onChange: set('gift') }), 'Gift'),
    h('button', null, 'Send'));
}

createRoot(document.querySelector('#place')).render(h(Form));
