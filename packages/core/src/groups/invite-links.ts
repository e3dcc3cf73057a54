import type { Random } from '../values/random.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Makes invite links: unguessable, and on a host that can never exist (RFC 2606), since nobody can join by them. */
export const createInviteLinks =
  (random: Random): (() => string) =>
  () => {
    let code = ''
    while (code.length < 22) code += alphabet[Math.floor(random() * alphabet.length)]
    return `https://invite.example/${code}`
  }
