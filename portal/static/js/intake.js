// The intake: says when a save did not arrive and tries again, warns before unsaved text is left, sends once.
const form = document.getElementById("step");
const RETRY_MS = 5000;

if (form) {
  const saved = () => document.getElementById("saved");
  let retry = 0;
  const failed = () => {
    saved().textContent = form.dataset.offline;
    saved().dataset.tone = "warn";
    clearTimeout(retry);
    retry = setTimeout(() => window.htmx.trigger(form, "change"), RETRY_MS);
  };
  form.addEventListener("htmx:sendError", failed);
  form.addEventListener("htmx:timeout", failed);
  form.addEventListener("htmx:responseError", failed);
  form.addEventListener("htmx:afterOnLoad", () => {
    clearTimeout(retry);
    const file = form.querySelector("input[type=file]");
    if (file) file.value = "";
  });
}

document.querySelector("[data-focus]")?.focus();

// Leaving a page ends its requests; that is no error to report.
const running = new Set();
document.addEventListener("htmx:beforeSend", (event) => running.add(event.detail.xhr));
document.addEventListener("htmx:afterRequest", (event) => running.delete(event.detail.xhr));
addEventListener("beforeunload", () => running.forEach((request) => { request.onabort = null; }));

for (const once of document.querySelectorAll("form[data-once]")) {
  once.addEventListener("submit", (event) => {
    if (once.dataset.sent) event.preventDefault();
    once.dataset.sent = "yes";
  });
}
addEventListener("pageshow", () => document.querySelectorAll("form[data-once]").forEach((once) => delete once.dataset.sent));
