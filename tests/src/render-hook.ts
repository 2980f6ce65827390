import { act, createElement, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';

export interface RenderedHook<P, T> {
  /** What the hook returned last. */
  readonly current: () => T;
  readonly render: (props: P) => Promise<void>;
  /** Runs something that changes state, with what follows from it. */
  readonly run: (change: () => void | Promise<unknown>) => Promise<void>;
  readonly unmount: () => Promise<void>;
}

/**
 * Renders a component that has a hook and shows nothing, so it needs no document. It sets globals:
 * `vi.unstubAllGlobals` removes them.
 */
export async function renderHook<P, T>(
  useHook: (props: P) => T,
  props: P,
): Promise<RenderedHook<P, T>> {
  vi.stubGlobal('window', { HTMLIFrameElement: Function });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const values: T[] = [];
  function Host({ input, onRender }: { readonly input: P; readonly onRender: (value: T) => void }) {
    const value = useHook(input);
    useLayoutEffect(() => onRender(value));
    return null;
  }
  const root = createRoot(emptyElement());
  const render = (input: P): Promise<void> =>
    run(() =>
      root.render(createElement(Host, { input, onRender: (value) => void values.push(value) })),
    );
  await render(props);
  return {
    current: () => {
      if (values.length === 0) throw new Error('Not rendered.');
      return values.at(-1) as T;
    },
    render,
    run,
    unmount: () => run(() => root.unmount()),
  };
}

const run = (change: () => void | Promise<unknown>): Promise<void> =>
  act(async () => {
    await change();
  });

/** The parts of an element that React asks for when nothing is shown in it. */
function emptyElement(): Element {
  const document = { nodeType: 9, activeElement: null, body: null, addEventListener: () => {} };
  return {
    nodeType: 1,
    nodeName: 'DIV',
    tagName: 'DIV',
    namespaceURI: 'http://www.w3.org/1999/xhtml',
    ownerDocument: document,
    textContent: '',
    addEventListener: () => {},
  } as unknown as Element;
}
