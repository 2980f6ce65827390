/** Buffers the page's messages until the first listener: the browser drops earlier ones. */
interface Inbox {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: string, listener: Listener): void;
  removeEventListener(type: string, listener: Listener): void;
}
type Listener = EventListenerOrEventListenerObject;
type Port = Pick<Inbox, 'addEventListener' | 'removeEventListener'> & {
  postMessage(message: unknown, transfer: Transferable[]): void;
};

export function bufferMessages(port: Port): Inbox {
  const early: Event[] = [];
  const keep = (event: Event): void => {
    early.push(event);
  };
  port.addEventListener('message', keep);
  return {
    postMessage: (message, transfer) => port.postMessage(message, transfer),
    addEventListener: (type, listener) => {
      port.addEventListener(type, listener);
      if (type !== 'message') return;
      port.removeEventListener('message', keep);
      for (const event of early.splice(0))
        if (typeof listener === 'function') listener(event);
        else listener.handleEvent(event);
    },
    removeEventListener: (type, listener) => port.removeEventListener(type, listener),
  };
}
