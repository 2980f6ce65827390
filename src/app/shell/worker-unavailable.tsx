'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { Button } from '../../ui/button.tsx';
import { Notice } from './notice-page.tsx';
import { startMessages as t } from './start.messages.en.ts';

/** The worker failed to start. Without it the page cannot read, store or send data. */
export function NoWorker({ error }: { readonly error: string }) {
  return (
    <main className="h-full overflow-auto bg-paper" role="alert">
      <Notice
        icon="failed"
        title={t.couldNotStart}
        actions={
          <Button variant="primary" onClick={() => location.reload()}>
            {t.reload}
          </Button>
        }
      >
        <p className="m-0">{t.noWorker}</p>
        <p className="m-0">{t.noWorkerHint}</p>
        <p className="m-0 text-agate break-words text-ink-3">{error}</p>
      </Notice>
    </main>
  );
}
