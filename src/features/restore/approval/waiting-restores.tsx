import { useState } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { taskKindLabel } from '../history/task-labels.ts';
import { Decide } from './decide.tsx';
import { restoreApprovalMessages as t } from './messages.en.ts';
import { RequestFacts } from './request-facts.tsx';

const REFRESH_MS = 30_000;

/** How many restores wait for a second person, if any, and their list. */
export function WaitingRestores() {
  const isTablet = useIsTablet();
  const zone = useZone();
  const [isOpen, setIsOpen] = useState(false);
  const { value, failure, again } = useQuery('listRestoreApprovals', EMPTY, true, {
    everyMs: REFRESH_MS,
  });
  const rows = value ?? [];
  if (rows.length === 0 && !isOpen) return null;
  return (
    <>
      {rows.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-rule px-4 py-2 tablet:px-5">
          <span className="grow">{t.waiting({ count: rows.length })}</span>
          <Button size="sm" onClick={() => setIsOpen(true)}>
            {t.show}
          </Button>
        </div>
      )}
      {isOpen && (
        <Dialog
          title={t.title}
          place={isTablet ? 'middle' : 'bottom'}
          wide
          onClose={() => setIsOpen(false)}
        >
          <div className="grid gap-2 px-5 py-3">
            {failure !== null && (
              <Callout tone="failed" alert>
                {getFailureText(failure)}
              </Callout>
            )}
            {rows.length === 0 ? (
              <p className="m-0 text-ink-2">{t.none}</p>
            ) : (
              <ul className="m-0 list-none p-0">
                {rows.map((task) => (
                  <li key={task.id} className="grid gap-1 border-b border-hair py-2">
                    <span className="flex flex-wrap gap-x-3">
                      <b>
                        {taskKindLabel(task)} · {task.organizationName}
                      </b>
                      <time className="text-ink-3" data-tip={formatUtc(task.createdAt)}>
                        {formatWhen(task.createdAt, zone)}
                      </time>
                    </span>
                    {task.request !== null && <RequestFacts request={task.request} />}
                    {task.request?.canDecide === true && (
                      <Decide
                        organizationId={task.organizationId}
                        taskId={task.id}
                        onDecided={again}
                      />
                    )}
                  </li>
                ))}
              </ul>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
const EMPTY = {};
