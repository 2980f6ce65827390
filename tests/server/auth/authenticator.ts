import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * What a security key or a phone does, without the hardware: keeps keys, signs challenges for the
 * host that asks, counts.
 */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url');
  counter = 0;
  handle: string | null = null;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** Answers as RegistrationResponseJSON. */
  make(options: string, origin: string): string {
    const { challenge, rp, user } = JSON.parse(options) as {
      challenge: string;
      rp: { id: string };
      user: { id: string };
    };
    this.handle = user.id;
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const cose = Buffer.concat([
      hex('a5010203262001215820'),
      Buffer.from(x, 'base64url'),
      hex('225820'),
      Buffer.from(y, 'base64url'),
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const data = Buffer.concat([
      this.#data(rp.id, 0x45),
      Buffer.alloc(16),
      uint(id.length, 2),
      id,
      cose,
    ]);
    const attestation = Buffer.concat([
      hex('a363666d74646e6f6e656761747453746d74a068617574684461746159'),
      uint(data.length, 2),
      data,
    ]);
    const response = {
      clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    };
    return JSON.stringify({
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  }

  /** Answers as AuthenticationResponseJSON. `verified`: knew its user. */
  show(
    options: string,
    origin: string,
    {
      verified = true,
      rpID = '',
      counter = ++this.counter,
      handle = this.handle,
    }: { verified?: boolean; rpID?: string; counter?: number; handle?: string | null } = {},
  ): string {
    const { challenge, rpId } = JSON.parse(options) as { challenge: string; rpId: string };
    this.counter = counter;
    const data = this.#data(rpID === '' ? rpId : rpID, verified ? 0x05 : 0x01);
    const client = clientData('webauthn.get', challenge, origin);
    const signature = sign(
      'sha256',
      Buffer.concat([data, createHash('sha256').update(client).digest()]),
      this.#keys.privateKey,
    );
    const response = {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(handle !== null && { userHandle: handle }),
    };
    return JSON.stringify({
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  }

  #data(rpID: string, flags: number): Buffer {
    return Buffer.concat([
      createHash('sha256').update(rpID).digest(),
      Buffer.from([flags]),
      uint(this.counter, 4),
    ]);
  }
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
function uint(value: number, bytes: number): Buffer {
  const made = Buffer.alloc(bytes);
  made.writeUIntBE(value, 0, bytes);
  return made;
}
