/** Crockford's Base32, as in ULIDs. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Generates a group id: `wagrp_` and a ULID, which has 10 characters of time and 16 random ones. */
export const generateGroupId = (now: number, random: () => number): string => {
  const time = Math.floor(now)
  const digits = Array.from({ length: 26 }, (_, index) =>
    index < 10 ? Math.floor(time / 32 ** (9 - index)) % 32 : Math.floor(random() * 32),
  )
  return `wagrp_${digits.map((digit) => alphabet[digit]).join('')}`
}
