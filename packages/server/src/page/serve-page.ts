import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, extname, join } from 'node:path'

/** Allows files and requests of the page's own origin only. Forbids inline code, so that no payload can run as code. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const findFolder = (): string =>
  join(dirname(findPackageJSON('..', import.meta.url) ?? '.'), 'dist/inspector')

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

type Facts = { readonly type: string; readonly status?: number; readonly cacheControl?: string }

const respond = (
  body: string | Uint8Array<ArrayBuffer>,
  { type, status = 200, cacheControl = 'no-cache' }: Facts,
): Response =>
  new Response(body, { status, headers: { ...headers, 'content-type': type, 'cache-control': cacheControl } })

/** For files whose names contain a hash of their content. */
const immutable = 'public, max-age=31536000, immutable'

const notBuilt = 'The inspector is not built. Run: npm run build -w @wabakit/inspector\n'

/** Relative, because a proxy may have removed a prefix from the path. */
const redirect = (location: string): Response =>
  new Response(null, { status: 302, headers: { ...headers, location, 'cache-control': 'no-cache' } })

/**
 * Responds to a request for the inspector or one of its files. The page reads its own path, so "/" and every path of one segment
 * return the same page. The page refers to its files by relative URLs, so paths of another depth are redirected, except those
 * of the files.
 */
export const servePage = async (path: string, folder: string = findFolder()): Promise<Response> => {
  const [, name] = /^\/assets\/([\w-]+\.\w+)$/.exec(path) ?? []
  const type = types[extname(name ?? '')]
  const depth = path.split('/').length - 2
  if (depth < 0) return redirect('inspector/')
  if (depth > 0 && name === undefined) return redirect('../'.repeat(depth))
  try {
    if (name === undefined || type === undefined) {
      return respond(await readFile(join(folder, 'index.html')), { type: 'text/html; charset=utf-8' })
    }
    return respond(await readFile(join(folder, 'assets', name)), { type, cacheControl: immutable })
  } catch (error) {
    if (!isMissing(error)) throw error
    const text = name === undefined ? notBuilt : 'There is no such file.\n'
    return respond(text, { type: 'text/plain; charset=utf-8', status: 404 })
  }
}

/** Stands for the trace in the viewer's file. The viewer's build writes it. */
const mark = '<!--trace-->'

/** Creates the file of a trace, which is gzipped and in base64: the viewer with the trace in it. */
export const createTracePage = async (trace: string, folder: string = findFolder()): Promise<string> => {
  const viewer = await readFile(join(folder, 'trace.html'), 'utf8').catch((cause: unknown) => {
    throw new Error(notBuilt, { cause })
  })
  const [before = '', after = ''] = viewer.split(mark)
  return `${before}<script type="application/octet-stream" id="trace">${trace}</script>${after}`
}
