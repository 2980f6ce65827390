import type { InputOf } from '#contract/calls.ts';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { ShownCode } from '#machines/device-code.ts';
import { client } from '#src/app/worker/worker-client.ts';

/** Requests a code, for a new organization or for an existing one. */
export async function requestCode<N extends 'requestDeviceCode' | 'requestAppDeviceCode'>(
  call: N,
  input: InputOf<N>,
): Promise<Result<ShownCode>> {
  return client().ask(call, input);
}

export async function checkCode(code: string): Promise<Result<DeviceCodeState>> {
  const checked = await client().ask('checkDeviceCode', { code });
  return checked.ok ? ok(checked.value.state) : checked;
}
