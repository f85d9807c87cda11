import '@/app/theme.css'
import { createWebHistory } from 'vue-router'
import { createLunette } from '@/app/createLunette'

createLunette(createWebHistory()).app.mount('#app')
