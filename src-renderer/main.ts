/** Entry of the page. */
import { mount } from 'svelte';
import App from './App.svelte';
import './theme/tokens.css';
import './theme/base.css';

const target = document.getElementById('app');
if (target) mount(App, { target });
