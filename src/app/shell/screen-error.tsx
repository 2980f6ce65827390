'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import type { ErrorComponentProps } from '@tanstack/react-router';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { isChunkError } from '../../ui/chunk-load.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from './notice-page.tsx';
import { startMessages as t } from './start.messages.en.ts';

/**
 * Error page of a screen that failed to load or crashed. The rest of the page and unsent changes
 * are not affected.
 */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  // Browsers cache a failed module load, so only reloading the page helps.
  const isChunk = isChunkError(error);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-auto bg-paper">
      <div role="alert">
        <Notice
          icon="failed"
          title={t.pageFailed}
          actions={
            <>
              {!isChunk && (
                <Button variant="primary" onClick={reset}>
                  {t.tryAgain}
                </Button>
              )}
              <Button variant={isChunk ? 'primary' : 'default'} onClick={() => location.reload()}>
                {t.reload}
              </Button>
            </>
          }
        >
          <p className="m-0">{isChunk ? BASE.chunk : t.changesSaved}</p>
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
