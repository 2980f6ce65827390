import { useRouter, useRouterState } from '@tanstack/react-router';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { CachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useBranding } from '#src/app/session/session.ts';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { providerChoiceMessages as t } from './provider-choice.messages.en.ts';

/**
 * The provider that an administration page shows. It is the address parameter `provider`; without
 * it, the user's own.
 */
export interface ChosenProvider {
  readonly id: string;
  readonly own: boolean;
  /** Null until the list is loaded. */
  readonly name: string | null;
  readonly all: CachedQuery<readonly ProviderListed[]>;
}

/** Returns null until the portal's own provider is known. */
export function useChosenProvider(): ChosenProvider | null {
  const own = useBranding()?.id ?? null;
  const chosen = useRouterState({
    select: ({ location }) => new URLSearchParams(location.searchStr).get('provider'),
  });
  const all = useCachedQuery('listProviders', EMPTY);
  if (own === null) return null;
  const id = chosen ?? own;
  return {
    id,
    own: id === own,
    name: all.value?.find(({ _id: one }) => one === id)?.name ?? null,
    all,
  };
}

/**
 * Renders nothing if there is only one provider. Choosing another provider removes all other
 * parameters, because they belong to the previous one.
 */
export function ProviderChoice({ chosen }: { readonly chosen: ChosenProvider }) {
  const { history } = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const rows = chosen.all.value ?? [];
  if (rows.length < 2 && chosen.own) return null;
  return (
    <ChipSelect
      name={t.provider}
      label={t.provider}
      icon="companies"
      value={chosen.id}
      options={[
        ...rows.map(({ _id: id, name, own }) => [id, own ? t.thisPortal({ name }) : name] as const),
        ...(rows.some(({ _id: id }) => id === chosen.id)
          ? []
          : [[chosen.id, t.unknownProvider] as const]),
      ]}
      onChoose={(id) => {
        const own = rows.find(({ _id: one }) => one === id)?.own ?? false;
        history.push(own ? path : `${path}?provider=${encodeURIComponent(id)}`);
      }}
    />
  );
}

const EMPTY = {};
