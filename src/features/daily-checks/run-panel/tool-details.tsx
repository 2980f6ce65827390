import { useState } from 'react';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { RunView } from '#contract/runs/query.ts';
import { getDetails } from './details.ts';
import { PanelPart } from './part.tsx';
import type { ExecutionQuery } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';

const SHOWN = 6;

/** What the tool reports in addition to the common fields, if anything. */
export function ToolDetails({
  row,
  query,
}: {
  readonly row: RunView;
  readonly query: ExecutionQuery;
}) {
  const [isExpanded, setExpanded] = useState(false);
  const details = query.execution === null ? [] : getDetails(query.execution);
  if (details.length === 0) return null;
  return (
    <PanelPart
      title={t.detailsFrom({ source: SOURCE_NAMES[row.source] })}
      more={
        details.length <= SHOWN
          ? null
          : {
              open: isExpanded,
              label: isExpanded ? t.showFewer : t.showAllDetails({ count: details.length }),
              onPress: () => setExpanded(!isExpanded),
            }
      }
    >
      <dl className="rp-details">
        {(isExpanded ? details : details.slice(0, SHOWN)).map(({ key, label, value }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </PanelPart>
  );
}
