import { useState } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { Combobox } from '#src/ui/combobox.tsx';
import { useSearchQuery } from '../queries/use-search-query.ts';
import { formMessages as t } from './messages.en.ts';

export interface PickedPerson {
  readonly _id: string;
  readonly name: string;
  readonly username: string;
}

export interface PersonPickerProps {
  readonly label: string;
  /** Message if the server cannot list the users and the catalog has one for this purpose. */
  readonly errorText?: string;
  /**
   * Only users whom the current user may manage, and the user themself; actions on others are
   * refused.
   */
  readonly own?: string;
  /** Users that are already selected. */
  readonly without?: readonly string[];
  readonly onChoose: (person: PickedPerson) => void;
}

/** Selects a user. The server searches while the user types. */
export function PersonPicker({ label, errorText, without = [], own, onChoose }: PersonPickerProps) {
  const [typed, setTyped] = useState('');
  const { value, failure, isLoading } = useSearchQuery('listUsers', {
    pageSize: '50',
    sort: 'name',
    ...(typed.trim() !== '' && { search: typed.trim() }),
  });
  const found = (value?.rows ?? []).filter(
    ({ _id, editable }) => !without.includes(_id) && (own === undefined || editable || _id === own),
  );
  return (
    <div className="grid gap-1.5">
      <Combobox
        label={label}
        value=""
        placeholder={t.searchByName}
        onType={setTyped}
        options={found.map(({ _id, name, username }) => ({
          value: _id,
          label: t.personWithUsername({ name, username }),
        }))}
        onChange={(id) => {
          const person = found.find(({ _id }) => _id === id);
          if (person) onChoose(person);
        }}
      />
      {failure !== null && !isLoading && (
        <p role="alert" className="m-0 text-agate text-failed">
          {errorText !== undefined && failure.kind === 'server-error'
            ? errorText
            : getFailureText(failure)}
        </p>
      )}
    </div>
  );
}
