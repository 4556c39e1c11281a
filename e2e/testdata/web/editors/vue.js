// A Vue form with the models that Vue keeps.
import { createApp, reactive } from 'vue/dist/vue.esm-bundler.js';

const form = reactive({ title: '', message: '', size: 's', gift: false });
createApp({
  setup: () => ({ form, send: () => { window.sent = { ...form }; } }),
  template: `<form @submit.prevent="send">
    <label>Title <input v-model.trim="form.title"></label>
    <label>Message <textarea v-model="form.message"></textarea></label>
    <label>Size <select v-model="form.size"><option value="s">Small</option><option value="l">Large</option></select></label>
    <label><input type="checkbox" v-model="form.gift"> Gift</label>
    <button>Send</button></form>`,
}).mount('#place');
window.read = () => form.message;
window.model = form;
