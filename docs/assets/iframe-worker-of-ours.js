/* Search for a site that is opened from a disk.

   The theme searches in a web worker, which browsers refuse to pages of file://.
   There, and only there, a hidden frame of this page takes the worker's place:

       page  --postMessage-->  frame: its script hears "message"
       page  <--"message"----  frame: its postMessage

   The theme looks for the name IFrameWorker to find its files from inside a frame.
   No script of another language is loaded, so that importScripts has nothing to do. */
"use strict";
(() => {
  if (location.protocol !== "file:") return;

  class FrameAsWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.importScripts = () => Promise.resolve();
      inside.postMessage = (data) => {
        const said = new MessageEvent("message", { data });
        this.dispatchEvent(said);
        if (this.onmessage) this.onmessage(said);
      };
      const script = inside.document.createElement("script");
      script.src = String(new URL(url, location.href));
      script.onload = () => {
        const waited = this.waiting;
        this.waiting = null;
        waited.forEach((data) => this.tell(data));
      };
      inside.document.body.append(script);
    }

    tell(data) {
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.tell(data);
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = FrameAsWorker;
  window.Worker = FrameAsWorker;
})();
