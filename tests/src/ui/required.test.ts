import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createElement } from 'react';
import type { ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Combobox } from '#src/ui/combobox.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';

const nothing = (): void => undefined;
const PROPS = {
  label: 'Name',
  value: '',
  options: [{ value: 'a', label: 'A' }],
  onChange: nothing,
};
const FIELDS: Readonly<Record<string, ComponentType<never>>> = {
  TextField,
  TextArea,
  Select,
  Combobox,
};

test('FIELD-1: a required field has a mark outside its name and is announced to screen readers', () => {
  for (const [name, field] of Object.entries(FIELDS)) {
    const html = (required: boolean): string =>
      renderToStaticMarkup(
        createElement(field as ComponentType<typeof PROPS & { readonly required: boolean }>, {
          ...PROPS,
          required,
        }),
      );
    expect([name, html(true)]).toEqual([
      name,
      expect.stringMatching(/<label[^>]*>Name<\/label><span aria-hidden="true"[^>]*>\*<\/span>/),
    ]);
    expect([name, html(true)]).toEqual([name, expect.stringContaining('aria-required="true"')]);
    expect([name, html(false)]).toEqual([
      name,
      expect.not.stringMatching(/\*|aria-required="true"/),
    ]);
    // The form says what is missing in words of its own, not the browser.
    expect([name, html(true)]).toEqual([name, expect.not.stringMatching(/ required(?:=|>| )/)]);
  }
});

test('FIELD-1: a form with required and other fields says what the mark means', () => {
  const forms = readdirSync('src/features', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.tsx'))
    .map((entry) => ({
      path: join(entry.parentPath, entry.name),
      text: readFileSync(join(entry.parentPath, entry.name), 'utf8'),
    }));
  const wrong = forms.filter(({ text }) => {
    const fields = [...text.matchAll(/<(?:TextField|TextArea)\b[^>]*?\blabel=/g)].length;
    const required = [
      ...text.matchAll(/<(?:TextField|TextArea|Select|Combobox)\b[^\n]*?\brequired\b(?!=)/g),
    ].length;
    return required > 0 && fields - required >= 2 && !text.includes('<RequiredNote');
  });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});
