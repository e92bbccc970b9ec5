export const Settings = () => <div className="page">Settings</div>
