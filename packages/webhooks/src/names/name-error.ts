const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'it does not exist or has no address. Check its spelling and its DNS records',
  ESERVFAIL: 'the name server could not find out. Check the DNS servers of its domain',
  ECONNREFUSED: 'the name server of this machine does not run or cannot be reached. Check /etc/resolv.conf',
}

type Failure = {
  /** A code of `node:dns`, such as `ENOTFOUND`, `ETIMEOUT` or `ESERVFAIL`. */
  readonly code: string
  /** The time limit, in milliseconds. */
  readonly limitMs: number
}

/** A host name could not be resolved. The message states the cause and the remedy. */
export class NameNotResolvedError extends Error {
  override readonly name = 'NameNotResolvedError'
  readonly code: string

  constructor(host: string, { code, limitMs }: Failure) {
    const reason =
      code === 'ETIMEOUT'
        ? `no answer from the name server within ${limitMs} ms. Check the DNS servers of its domain, and of this machine`
        : (reasons[code] ?? 'the name server sent an error. Check the DNS servers of its domain')
    super(`the name ${host} could not be resolved (${code}): ${reason}`)
    this.code = code
  }
}
