import { ConfigError } from '../config/config-error.ts'

/** The file descriptor of the first socket that systemd passes (sd_listen_fds(3)). */
const firstSocket = 3

/**
 * Returns the file descriptor of the listening socket that systemd has passed to this process, if any. systemd keeps the
 * socket open while the process restarts, so that connections wait for the next process.
 *
 * @throws ConfigError if systemd has not passed exactly one socket, or does not say how many.
 */
export const findPassedSocket = (env: NodeJS.ProcessEnv): number | undefined => {
  // A process that another one starts inherits the variables, but not the socket.
  if (env.LISTEN_PID !== String(process.pid)) return undefined
  if (env.LISTEN_FDS === '1') return firstSocket
  const message = `is ${env.LISTEN_FDS}, but a server listens on one socket. Let the socket unit have one ListenStream.`
  throw new ConfigError([{ key: 'LISTEN_FDS', source: 'systemd', message }])
}
