/** Moves the clock of the process by hours, when asked to. */
import { answer } from './answer.ts'

const { now } = Date
let offset = 0
Date.now = () => now() + offset

const hour = 3_600_000
const step = (hours: number) => (): number => {
  offset = hours * hour
  return offset
}
answer({ ahead: step(1), behind: step(-1), right: step(0) })
