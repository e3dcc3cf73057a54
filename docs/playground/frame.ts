import { host } from '../../packages/inspector/src/api/send.ts'
import { theme } from '../../packages/inspector/src/state/settings.ts'
import { mock, playground } from './service.ts'

host.fetch = (path, init) => mock.fetch(new URL(path, mock.url), init)
theme.value = parent.document.documentElement.classList.contains('dark') ? 'dark' : 'light'
// The list follows what happens, and the overview's figures do not.
history.replaceState(null, '', 'deliveries')
dispatchEvent(new PopStateEvent('popstate'))
await import('../../packages/inspector/src/main.tsx')

parent.dispatchEvent(new CustomEvent('playground', { detail: playground }))
