// src/worker.ts
chrome.runtime.onInstalled.addListener(() => {
});
