import { useState } from 'react';
import type { Task } from '#contract/runs/task.ts';
import { formatBytes, formatDuration, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { getDoneWords, TASK_STATES } from './object-labels.ts';
import { PanelPart, Unheard } from './part.tsx';
import type { ExecutionQuery } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';

const SHOWN = 8;

/**
 * Result of each object of the run, worst first. Renders nothing if the source does not report
 * objects.
 */
export function Objects({
  query,
  zone,
}: {
  readonly query: ExecutionQuery;
  readonly zone: string;
}) {
  const [whole, setWhole] = useState(false);
  const { execution, message } = query;
  if (execution === null)
    return message === null ? null : (
      <Unheard
        title={t.objects}
        offline={t.objectsNeedNetwork}
        unreadable={t.objectsUnreadable}
        query={query}
      />
    );
  const { tasks } = execution;
  if (tasks.length === 0) return null;
  return (
    <PanelPart
      title={t.objects}
      aside={getDoneWords(tasks)}
      more={
        tasks.length <= SHOWN
          ? null
          : {
              open: whole,
              label: whole ? t.showFewer : t.showAllObjects({ count: tasks.length }),
              onPress: () => setWhole(!whole),
            }
      }
    >
      <ul className="rp-objects">
        {(whole ? tasks : tasks.slice(0, SHOWN)).map((task, place) => (
          <One key={`${place} ${task.name}`} task={task} zone={zone} />
        ))}
      </ul>
    </PanelPart>
  );
}

function One({
  task: { name, status, startTime, durationSec, bytesTransferred, message },
  zone,
}: {
  readonly task: Task;
  readonly zone: string;
}) {
  const { label, icon, text } = TASK_STATES[status];
  return (
    <li
      {...(startTime !== null && {
        'data-tip': t.startedAt({ time: formatWhen(Date.parse(startTime), zone) }),
      })}
    >
      <span className={`inline-flex items-center gap-1.5 ${text}`}>
        <Icon name={icon} />
        <span>{label}</span>
      </span>
      <span className="rp-name">{name}</span>
      <span className="text-right text-ink-2">
        {durationSec === null ? '' : formatDuration(durationSec)}
      </span>
      <span className="text-right text-ink-2">
        {bytesTransferred === null ? '' : formatBytes(bytesTransferred)}
      </span>
      {message !== null && <span className="dc-ag col-[2/-1] break-words">{message}</span>}
    </li>
  );
}
