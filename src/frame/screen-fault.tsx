import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Notice } from './notice-page.tsx';

/** A screen that could not be loaded or broke. The rest of the page, and what waits to be sent, are not touched by it. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  return (
    <div className="h-full overflow-auto bg-paper" role="alert">
      <Notice
        icon="failed" title="This page could not be shown" level={2}
        actions={<><Button variant="primary" onClick={reset}>Try again</Button><Button onClick={() => location.reload()}>Reload</Button></>}
      >
        <p className="m-0">Changes that you made are kept on this device.</p>
        <p className="m-0 text-agate break-words text-ink-3">{error instanceof Error ? error.message : String(error)}</p>
      </Notice>
    </div>
  );
}
