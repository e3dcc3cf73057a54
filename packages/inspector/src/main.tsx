/// <reference types="vite/client" />
import './styles/index.css'
import { openApp } from './shell/app.tsx'

openApp()
