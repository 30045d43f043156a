"""The stylesheet of the window; every %(name)s is a token or a step of the type scale from theme.py."""

from __future__ import annotations

SHEET = """
QMainWindow, QDialog, QWidget#page { background: %(surface)s; }
QWidget#ground { background: %(window)s; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: %(px_title)s; font-weight: 600; }
QLabel[role="heading"] { font-size: %(px_heading)s; font-weight: 600; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="lead"] { font-size: %(px_lead)s; color: %(muted)s; }
QLabel[role="muted"] { color: %(muted)s; }
QLabel[role="small"] { font-size: %(px_small)s; color: %(muted)s; }
QLabel[role="column"] { font-size: %(px_tiny)s; color: %(muted)s; font-weight: 600; }
QLabel[role="tiny"] { font-size: %(px_tiny)s; color: %(muted)s; }
QLabel[role="figure"] { font-size: %(px_figure)s; font-weight: 600; }
QLabel[role="second"] { font-size: %(px_second)s; font-weight: 600; }
QLabel[tint="accent"] { color: %(accent_text)s; }
QLabel[tint="warm"] { color: %(warm_text)s; }
QLabel[tint="danger"] { color: %(danger_text)s; }
QLabel[tint="muted"] { color: %(muted)s; }
QLabel[tag="accent"] { background: %(accent_soft)s; color: %(accent_text)s; }
QLabel[tag="warm"] { background: %(warm_soft)s; color: %(warm_text)s; }
QLabel[tag="danger"] { background: %(danger_soft)s; color: %(danger_text)s; }
QLabel[tag="neutral"] { background: %(neutral_soft)s; color: %(muted)s; }
QLabel[tag="accent-fill"] { background: %(accent)s; color: %(on_accent)s; }
QLabel[tag="danger-fill"] { background: %(danger_fill)s; color: %(on_accent)s; }
QLabel[tag] { border-radius: 6px; padding: 2px 8px; font-size: %(px_tiny)s; font-weight: 600; }
QLabel[tag][ladder="true"] { padding: 2px 5px; }
QLabel[role="warm"] { color: %(warm_text)s; }
QLabel[role="danger"] { color: %(danger_text)s; }
QLabel[role="accent"] { color: %(accent_text)s; }
QLabel[role="mono"] { font-family: "DejaVu Sans Mono", monospace; }

QMenuBar { background: %(window)s; border: none; padding: 3px 8px; }
QFrame[side="top"] { background: %(window)s; border: none; border-bottom: 1px solid %(border)s; }
QMenuBar::item { padding: 5px 10px; border-radius: 6px; background: transparent; }
QMenuBar::item:selected { background: %(accent_soft)s; color: %(accent_text)s; }
QMenu { background: %(surface)s; border: 1px solid %(border)s; padding: 6px; }
QMenu::item { padding: 7px 28px 7px 12px; border-radius: 6px; }
QMenu::item:selected { background: %(accent_soft)s; color: %(accent_text)s; }
QMenu::item:disabled { color: %(border_strong)s; }
QMenu::separator { height: 1px; background: %(border)s; margin: 6px 4px; }

QFrame[card="true"] { background: %(surface)s; border: 1px solid %(border)s; border-radius: %(radius)s; }
QFrame[card="soft"] { background: %(window)s; border: none; border-radius: %(radius)s; }
QFrame[card="chosen"] { background: %(surface)s; border: 2px solid %(accent)s; border-radius: %(radius)s; }
QFrame[card="drop"] { background: %(window)s; border: 1px dashed %(border_strong)s; border-radius: %(radius)s; }
QFrame[card="drop-hover"] { background: %(accent_soft)s; border: 1px dashed %(accent)s; border-radius: %(radius)s; }
QFrame[paper="true"] { background: %(paper)s; border: 1px solid %(paper_edge)s; border-radius: 2px; }
QTextBrowser[paper="text"] { background: transparent; }
QFrame[banner="info"] { background: %(accent_soft)s; border: none; border-radius: %(radius)s; }
QFrame[banner="good"] { background: %(accent_soft)s; border: none; border-radius: %(radius)s; }
QFrame[banner="warning"] { background: %(warm_soft)s; border: none; border-radius: %(radius)s; }
QFrame[banner="problem"] { background: %(danger_soft)s; border: none; border-radius: %(radius)s; }
QFrame[banner="warning"] QLabel { color: %(warm_text)s; }
QFrame[banner="problem"] QLabel { color: %(danger_text)s; }
QFrame[banner="info"] QLabel, QFrame[banner="good"] QLabel { color: %(accent_text)s; }
QFrame[side="left"] { background: %(window)s; border: none; border-right: 1px solid %(border)s; }
QFrame[side="right"] { background: %(window)s; border: none; border-left: 1px solid %(border)s; }
QFrame[side="bottom"] { background: %(surface)s; border: none; border-top: 1px solid %(border)s; }
QFrame[line="true"] { background: %(border)s; border: none; max-height: 1px; min-height: 1px; }

QPushButton { background: %(surface)s; color: %(text)s; border: 1px solid %(border_strong)s;
  border-radius: %(radius)s;
  padding: 7px 16px; font-weight: 600; min-height: 20px; }
QPushButton:hover { background: %(accent_soft)s; border-color: %(accent)s; }
QPushButton:focus { border: 2px solid %(accent)s; padding: 6px 15px; }
QPushButton:disabled { color: %(border_strong)s; border-color: %(border)s; background: %(surface)s; }
QPushButton[kind="primary"] { background: %(accent)s; color: %(on_accent)s; border: 1px solid %(accent)s; }
QPushButton[kind="primary"]:hover { background: %(accent_hover)s; }
QPushButton[kind="primary"]:focus { border: 2px solid %(text)s; padding: 6px 15px; }
QPushButton[kind="primary"]:disabled { background: %(track)s; border-color: %(track)s; color: %(muted)s; }
QPushButton[enter="true"] { padding-right: %(enter_room)s; }
QPushButton[enter="true"]:focus { padding-right: %(enter_room)s; }
QPushButton[dense="true"] { padding: 3px 12px; border-radius: 6px; font-size: %(px_small)s; min-height: 20px; }
QPushButton[dense="true"]:focus { padding: 2px 11px; }
QPushButton[dense="true"][enter="true"], QPushButton[dense="true"][enter="true"]:focus {
  padding-right: %(enter_room)s; }
QPushButton[kind="primary"][behind="true"]:enabled { background: %(surface)s; color: %(text)s;
  border: 1px solid %(border_strong)s; }
QPushButton[kind="primary"][behind="true"]:enabled:hover { background: %(accent_soft)s; border-color: %(accent)s; }
QPushButton[kind="primary"][behind="true"]:enabled:focus { border: 2px solid %(accent)s; }
QPushButton[segment="true"]:checked { background: %(accent)s; color: %(on_accent)s; border-color: %(accent)s; }
QPushButton[kind="clear"] { background: %(danger_fill)s; color: %(on_accent)s; border: 1px solid %(danger_fill)s; }
QPushButton[kind="clear"]:focus { border: 2px solid %(text)s; padding: 6px 15px; }
QPushButton[kind="clear"]:disabled { background: %(track)s; border-color: %(track)s; color: %(muted)s; }
QPushButton[kind="danger"] { color: %(danger_text)s; border-color: %(danger)s; }
QPushButton[kind="link"] { background: transparent; border: 1px solid transparent; color: %(accent_text)s;
  padding: 3px 4px;
  font-weight: 600; text-align: left; }
QPushButton[kind="link"]:hover { text-decoration: underline; background: transparent; border-color: transparent; }
QPushButton[kind="link"]:focus { border: 1px solid %(accent)s; border-radius: 4px; }
QPushButton[kind="quiet"] { background: transparent; border: 1px solid transparent; padding: 5px 8px;
  font-weight: 400; }
QPushButton[kind="quiet"]:hover { background: %(accent_soft)s; }
QPushButton[kind="quiet"]:focus { border: 1px solid %(accent)s; }
QPushButton[kind="choice"] { border-radius: %(round_choice)s; min-width: %(mark_38)s; max-width: %(mark_38)s;
  min-height: %(mark_38)s; max-height: %(mark_38)s; padding: 0; }
QPushButton[kind="decision"] { padding: 6px 2px; border-radius: 8px; min-width: 56px; }
QPushButton[kind="decision"]:focus { padding: 5px 1px; }
QPushButton[kind="decision"]:checked { background: %(accent)s; color: %(on_accent)s; border-color: %(accent)s; }
QPushButton[kind="choice"]:checked { background: %(accent)s; color: %(on_accent)s; border-color: %(accent)s; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: %(accent_soft)s; }
QToolButton:focus { border: 1px solid %(accent)s; }
QToolButton[dense="true"] { padding: 1px; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox { background: %(field)s; color: %(text)s;
  border: 1px solid %(border_strong)s; border-radius: 6px; padding: 6px 10px; selection-background-color: %(accent)s;
  selection-color: %(on_accent)s; min-height: 20px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {
  border: 2px solid %(accent)s; padding: 5px 9px; }
QLineEdit[flat="true"] { border: 1px solid transparent; background: transparent; padding: 6px 0; font-weight: 600; }
QLineEdit[flat="true"]:hover { border: 1px solid %(border_strong)s; }
QLineEdit[flat="true"]:focus { border: 2px solid %(accent)s; padding: 5px 3px; background: %(field)s; }
QComboBox[flat="true"] { border: 1px solid transparent; background: transparent; padding: 2px 24px 2px 4px;
  min-height: 16px; font-size: %(px_small)s; }
QComboBox[flat="true"]:hover { border: 1px solid %(border_strong)s; }
QComboBox[flat="true"]:focus { border: 1px solid %(accent)s; background: %(field)s; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled { color: %(muted)s;
  background: %(window)s; }
QSpinBox, QDoubleSpinBox { padding: 5px 26px 5px 2px; }
QSpinBox:focus, QDoubleSpinBox:focus { padding: 4px 25px 4px 1px; }
QSpinBox::up-button, QDoubleSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; width: 24px;
  border: none; background: transparent; }
QSpinBox::down-button, QDoubleSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right;
  width: 24px; border: none; background: transparent; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("%(icon_chevron_up)s"); width: %(mark_11)s;
  height: %(mark_11)s; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("%(icon_chevron_down)s"); width: %(mark_11)s;
  height: %(mark_11)s; }
QComboBox { padding-right: 28px; combobox-popup: 0; }
QComboBox::drop-down { border: none; width: 26px; }
QComboBox::down-arrow { image: url("%(icon_chevron_down)s"); width: %(mark_14)s; height: %(mark_14)s; }
QComboBox QAbstractItemView { background: %(surface)s; border: 1px solid %(border)s; padding: 4px; outline: none;
  selection-background-color: %(accent_soft)s; selection-color: %(accent_text)s; }
QTextBrowser { border: none; background: transparent; padding: 0; }
QTextBrowser:focus { border: none; padding: 0; }

QCheckBox, QRadioButton { spacing: 8px; background: transparent; padding: 2px; border: 1px solid transparent;
  border-radius: 4px; }
QCheckBox[bare="true"] { spacing: 0; }
QCheckBox:focus, QRadioButton:focus { border: 1px solid %(accent)s; }
QCheckBox::indicator, QRadioButton::indicator { width: %(mark_16)s; height: %(mark_16)s;
  border: 1px solid %(border_strong)s; background: %(field)s; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: %(round_radio)s; }
QCheckBox::indicator:checked { background: %(accent)s; border-color: %(accent)s; image: url("%(icon_check_mark)s"); }
QRadioButton::indicator:checked { background: %(accent)s; border-color: %(accent)s; image: url("%(icon_dot)s"); }
QCheckBox:disabled, QRadioButton:disabled { color: %(muted)s; }

QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: %(track)s; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: %(accent)s; }
QSlider::handle:horizontal { width: %(mark_18)s; height: %(mark_18)s; margin: %(mark_lift)s 0;
  border-radius: %(round_handle)s; background: %(accent)s; }
QSlider::handle:horizontal:hover { background: %(accent_hover)s; }
QSlider:horizontal { min-height: 26px; }
QSlider:focus { border: 1px solid %(accent)s; border-radius: 6px; }

QProgressBar[drawn="true"] { background: transparent; border: none; max-height: 16777215px; min-height: 0; }
QProgressBar { background: %(track)s; border: none; border-radius: 4px; max-height: 8px; min-height: 8px; }
QProgressBar::chunk { background: %(accent)s; border-radius: 4px; }

QTableView, QListView, QTreeView { background: %(surface)s; border: none; gridline-color: %(border)s; outline: none;
  selection-background-color: %(accent_soft)s; selection-color: %(text)s; alternate-background-color: %(surface)s; }
QListView::item { padding: 7px 8px; border-radius: 6px; }
QListView::item:selected { background: %(accent_soft)s; color: %(accent_text)s; }
QListView::item:hover { background: %(neutral_soft)s; }
QTableView::item { padding: 4px 8px; border-bottom: 1px solid %(border)s; }
QTableView[dense="true"] { font-size: %(px_small)s; }
QTableView[dense="true"]::item { padding: 2px 4px; }
QTableView[dense="true"] QHeaderView::section { padding: 4px 4px; }
QTableView::item:selected { background: %(accent_soft)s; color: %(text)s; }
QTableView:focus, QListView:focus { border: 1px solid %(accent)s; border-radius: 4px; }
QHeaderView { background: %(surface)s; border: none; }
QHeaderView::section { background: %(surface)s; color: %(muted)s; font-size: %(px_tiny)s; font-weight: 600;
  border: none;
  border-bottom: 1px solid %(border)s; padding: 7px 8px; }
QTableCornerButton::section { background: %(surface)s; border: none; }

QTabWidget::pane { border: none; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: %(muted)s; padding: 8px 14px; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: %(accent_text)s; border-bottom: 2px solid %(accent)s; font-weight: 600; }
QTabBar::tab:focus { color: %(accent_text)s; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget#page { background: %(surface)s; }
QScrollArea > QWidget > QWidget#ground { background: %(window)s; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical { background: %(border_strong)s; border-radius: 4px; min-height: 32px; margin: 2px; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle:horizontal { background: %(border_strong)s; border-radius: 4px; min-width: 32px; margin: 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { background: %(text)s; color: %(surface)s; border: none; padding: 6px 8px; }
QSplitter::handle { background: %(border)s; }
"""
