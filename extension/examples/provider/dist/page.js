// notes.ts
async function policy(caller) {
  const { policy: policy2 } = await chrome.storage.local.get("policy");
  const callers = {};
  const now = { enabled: true, writes: false, reason: "", callers, ...policy2 };
  if (!caller || !now.enabled || now.callers[caller]) return now;
  now.callers[caller] = "pending";
  await chrome.storage.local.set({ policy: now });
  return now;
}

// page.ts
async function show() {
  const now = await policy();
  const save = (_changed) => chrome.storage.local.set({ policy: now });
  for (const name of ["enabled", "writes"]) {
    const box = document.getElementById(name);
    box.checked = now[name];
    box.onchange = () => save(now[name] = box.checked);
  }
  document.getElementById("callers")?.replaceChildren(...Object.keys(now.callers).flatMap((id) => {
    const button = document.createElement("button");
    button.textContent = now.callers[id] === "allowed" ? "Deny" : "Allow";
    button.onclick = () => save(now.callers[id] = now.callers[id] === "allowed" ? "denied" : "allowed");
    return [`${id}: ${now.callers[id]} `, button, document.createElement("br")];
  }));
}
chrome.storage.local.onChanged.addListener(show);
void show();
