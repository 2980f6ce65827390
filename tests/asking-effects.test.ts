import { expect, test } from 'vitest';
import { findAskingEffects } from './asking-effects.ts';

const toFile = (text: string, n: number) => ({ path: `src/${n}.ts`, text });

test('HOUSE-15: an effect that asks is seen, however it asks', () => {
  const asking = [
    "useEffect(() => {\n  void client().ask('who', {}).then(setWho);\n}, []);",
    "useEffect(() => {\n  const load = async () => setWho(await client().read('who', {}));\n  void load();\n}, []);",
    "const load = async (): Promise<void> => {\n  setWho(await client().ask('who', {}));\n};\nuseEffect(() => {\n  void load();\n}, []);",
    "const load = useEffectEvent(() => {\n  void read();\n});\nuseEffect(() => load(), []);\nasync function read() {\n  return client().file('who', {});\n}",
    "useEffect(() => {\n  void fetch('/api/who').then(setWho);\n}, []);",
    'useEffect(() => {\n  void workload.listItems(session).then(setItems);\n}, [workload]);',
    "import { readShared } from './shared.ts';\nuseLayoutEffect(() => {\n  void readShared();\n}, []);",
  ];
  const shared = {
    path: 'src/shared.ts',
    text: "export const readShared = () =>\n  client().ask('who', {});\n",
  };
  expect(findAskingEffects([shared, ...asking.map(toFile)])).toEqual(
    asking.map((_, n) => `src/${n}.ts`),
  );
  const other = [
    "useEffect(() => {\n  void client().send('prefer', {});\n}, []);",
    "const save = () => client().ask('save', {});\nuseEffect(() => {\n  form.focus();\n}, []);",
    "// useEffect(() => void client().ask('who', {}), []);",
    "const { value } = useRequest('who', {}, async () => client().ask('who', {}));\nuseEffect(() => onAnswer(value), [value]);",
  ];
  expect(findAskingEffects([shared, ...other.map(toFile)])).toEqual([]);
});
