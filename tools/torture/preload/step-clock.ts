/** Moves the wall clock of the process by days, on request. */
import { answer } from './answer.ts'

const { now } = Date
let offset = 0
Date.now = () => now() + offset

const day = 86_400_000
const set = (days: number) => (): number => {
  offset = days * day
  return offset
}
answer({ ahead: set(6), farAhead: set(40), behind: set(-2), right: set(0) })
