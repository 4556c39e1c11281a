// page.ts
var byId = (id) => document.getElementById(id);
var show = (value) => {
  byId("output").textContent = typeof value === "string" ? value : JSON.stringify(value, null, 2);
};
async function ask(type, more = {}) {
  show("…");
  const answer = await chrome.runtime.sendMessage({ type, id: byId("id").value.trim(), ...more });
  show(answer.error ?? answer.result);
}
byId("probe").onclick = () => ask("probe");
byId("tools").onclick = () => ask("tools");
byId("call").onclick = () => {
  try {
    void ask("call", { tool: byId("tool").value, args: JSON.parse(byId("args").value || "{}") });
  } catch (error) {
    show(error.message);
  }
};
