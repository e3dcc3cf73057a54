/// <reference types="vite/client" />
import { render } from 'preact'
import './styles/index.css'
import { App } from './shell/app.tsx'

render(<App />, document.body)
