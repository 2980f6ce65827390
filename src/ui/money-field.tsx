import { parseMoney, showMoney } from './money.ts';
import { TextField, type TextFieldProps } from './text-field.tsx';

export interface MoneyFieldProps extends Pick<
  TextFieldProps,
  'label' | 'hint' | 'error' | 'required' | 'name'
> {
  readonly value: string;
  readonly currency: string;
  readonly onChange: (value: string) => void;
}

/** An amount: shown with its currency's sign, comma separators and two decimals after it is typed. */
export function MoneyField({ value, currency, onChange, ...rest }: MoneyFieldProps) {
  return (
    <TextField
      {...rest}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => {
        const amount = parseMoney(value, currency);
        if (amount !== null) onChange(showMoney(amount, currency));
      }}
    />
  );
}
