'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { Button } from '../../ui/button.tsx';
import { Notice } from './notice-page.tsx';

/** The worker failed to start. Without it the page cannot read, store or send data. */
export function NoWorker({ fault }: { readonly fault: string }) {
  return (
    <main className="h-full overflow-auto bg-paper" role="alert">
      <Notice
        icon="failed"
        title="This page could not start"
        actions={
          <Button variant="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        <p className="m-0">
          The part that keeps and sends your data did not start. What you did before is kept on this
          device.
        </p>
        <p className="m-0">
          Reload the page. If it happens again, check that this browser allows workers and is up to
          date.
        </p>
        <p className="m-0 text-agate break-words text-ink-3">{fault}</p>
      </Notice>
    </main>
  );
}
