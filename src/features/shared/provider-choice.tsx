import { useRouter, useRouterState } from '@tanstack/react-router';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { CachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useBranding } from '#src/app/session/session.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';

/**
 * Which provider a page of the administration is about. It stands in the address as `provider`; the
 * own one without it.
 */
export interface ChosenProvider {
  readonly id: string;
  readonly own: boolean;
  /** Null until the list is here. */
  readonly name: string | null;
  readonly all: CachedQuery<readonly ProviderListed[]>;
}

/** Null until it is known whose portal this is. */
export function useChosenProvider(): ChosenProvider | null {
  const own = useBranding()?.id ?? null;
  const asked = useRouterState({
    select: ({ location }) => new URLSearchParams(location.searchStr).get('provider'),
  });
  const all = useCachedQuery('listProviders', NOTHING);
  if (own === null) return null;
  const id = asked ?? own;
  return {
    id,
    own: id === own,
    name: all.value?.find(({ _id: one }) => one === id)?.name ?? null,
    all,
  };
}

/**
 * Nothing where there is only one. Everything else of the address is of that provider, and goes
 * with it.
 */
export function ProviderChoice({ chosen }: { readonly chosen: ChosenProvider }) {
  const { history } = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const rows = chosen.all.value ?? [];
  if (rows.length < 2 && chosen.own) return null;
  return (
    <ChipSelect
      name="Provider"
      label="Provider"
      icon="companies"
      value={chosen.id}
      options={[
        ...rows.map(
          ({ _id: id, name, own }) => [id, own ? `${name} (this portal)` : name] as const,
        ),
        ...(rows.some(({ _id: id }) => id === chosen.id)
          ? []
          : [[chosen.id, 'Unknown provider'] as const]),
      ]}
      onChoose={(id) => {
        const own = rows.find(({ _id: one }) => one === id)?.own ?? false;
        history.push(own ? path : `${path}?provider=${encodeURIComponent(id)}`);
      }}
    />
  );
}

const NOTHING = {};
