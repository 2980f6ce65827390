import type { Chance } from '#server/platform/app-context.ts';

// restic's chunker needs an irreducible polynomial of degree 53 over GF(2) in the config, or restic
// doesn't open the repository. Bit n is the coefficient of x^n.

const DEGREE = 53n;

export function randomPolynomial(chance: Chance): bigint {
  for (;;) {
    const random = Buffer.from(chance.bytes(8)).readBigUInt64LE();
    const polynomial = BigInt.asUintN(53, random) | (1n << DEGREE) | 1n;
    if (isIrreducible(polynomial)) return polynomial;
  }
}

/**
 * Rabin's test for the prime degree 53: x^(2^53) is x modulo the polynomial, which is divisible by
 * neither x nor x + 1.
 */
export function isIrreducible(polynomial: bigint): boolean {
  let power = 2n; // x
  for (let square = 0n; square < DEGREE; square += 1n) power = multiply(power, power, polynomial);
  return power === 2n && (polynomial & 1n) === 1n && hasOddTerms(polynomial);
}

const hasOddTerms = (polynomial: bigint): boolean =>
  polynomial.toString(2).replaceAll('0', '').length % 2 === 1;

/** The product of two polynomials of a lower degree than 53, modulo one of degree 53. */
function multiply(a: bigint, b: bigint, modulus: bigint): bigint {
  let product = 0n;
  for (let left = a, right = b; right !== 0n; right >>= 1n) {
    if (right & 1n) product ^= left;
    left <<= 1n;
    if (left >> DEGREE) left ^= modulus;
  }
  return product;
}
