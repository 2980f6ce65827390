'use no memo'; // drawn once or seldom: the compiler's memory would cost more code on the first load
import type { ErrorComponentProps } from '@tanstack/react-router';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { isChunkFault } from '../../ui/chunk-load.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from './notice-page.tsx';

/**
 * A screen that could not be loaded or broke. The rest of the page, and what waits to be sent, are
 * not touched by it.
 */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  // The browser does not retry a part that failed to load: only reloading the page helps.
  const isChunk = isChunkFault(error);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-auto bg-paper">
      <div role="alert">
        <Notice
          icon="failed"
          title="This page could not be shown"
          actions={
            <>
              {!isChunk && (
                <Button variant="primary" onClick={reset}>
                  Try again
                </Button>
              )}
              <Button variant={isChunk ? 'primary' : 'default'} onClick={() => location.reload()}>
                Reload
              </Button>
            </>
          }
        >
          <p className="m-0">
            {isChunk ? BASE.chunk : 'Changes that you made are kept on this device.'}
          </p>
          {!isChunk && (
            <p className="m-0 text-agate break-words text-ink-3">
              {error instanceof Error ? error.message : String(error)}
            </p>
          )}
        </Notice>
      </div>
    </main>
  );
}
