import { readdirSync, readFileSync } from 'node:fs'

/** The resources of a process: its resident memory in bytes, and its number of open files and sockets. */
export type ProcessSize = { readonly memory: number; readonly handles: number }

/** Measures a process on this machine, which must run Linux. */
export const measureProcess = (pid: number): ProcessSize => {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { memory: Number(kilobytes) * 1_024, handles: readdirSync(`/proc/${pid}/fd`).length }
}
