import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { ServerInput } from './form.ts';
import { FoundOrganizations } from './found.tsx';
import { ServerFields } from './server-fields.tsx';

/** An open server and what it has. */
export interface FoundServer {
  readonly input: ServerInput;
  readonly organizations: OutputOf<'testServer'>['organizations'];
}

/** Connects a Veeam server, shows its organizations, and imports them. */
export function ImportServer({
  zone,
  onClose,
}: {
  readonly zone: string;
  readonly onClose: () => void;
}) {
  const [found, setFound] = useState<FoundServer | null>(null);
  return found === null ? (
    <ServerFields zone={zone} onFound={setFound} onClose={onClose} />
  ) : (
    <FoundOrganizations server={found} onClose={onClose} />
  );
}
