import { useRouter, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { Ms } from '#contract/ids.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { moveUsage, usageAddress, usagePlace, type UsagePlace } from './address.ts';
import { suiteUsageMessages as t } from './messages.en.ts';

/** The state of a report, in its address. */
export function useUsageReport(
  path: string,
  branding: Branding,
): {
  readonly place: UsagePlace;
  readonly go: (next: Partial<UsagePlace>, how?: 'push' | 'replace') => void;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly offline: boolean;
} {
  const { history } = useRouter();
  const place = usagePlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  return {
    place,
    go: (next, how = 'push') => history[how](usageAddress(path, moveUsage(place, next))),
    // Licenses are counted by calendar day.
    rule: { zone: branding.timeZone, hour: 0 },
    now: useNow(60_000),
    offline,
  };
}

/** Period and organization of a report, other filters, and its export. */
export function ReportBar({
  place,
  rule,
  now,
  go,
  children,
  action,
}: {
  readonly place: UsagePlace;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly go: (next: Partial<UsagePlace>) => void;
  readonly children?: ReactNode;
  readonly action: ReactNode;
}) {
  const organizations = useWatch('organizations', EMPTY) ?? [];
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
      <SpanChoice span={place.span} rule={rule} now={now} onSpan={(span) => go({ span })} />
      {(organizations.length > 1 || place.organization !== null) && (
        <ChipSelect
          name={t.organization}
          icon="companies"
          value={place.organization ?? ''}
          options={[
            ['', t.allOrganizations] as const,
            ...organizations.map(({ id, name }) => [id, name] as const),
          ]}
          onChoose={(organization) =>
            go({ organization: organization === '' ? null : organization })
          }
        />
      )}
      {children}
      <span className="ml-auto">{action}</span>
    </div>
  );
}

const EMPTY = {};
