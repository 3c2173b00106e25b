"""Masters of other makes at the field of a simulation: each starts as its library does, reads, and may operate.

Usage: field-masters.py modbus|iec104|dnp3|phasor PORT ADDRESS [open|close]
Prints one line of JSON: the voltage, the first flow in per unit, and whether the order was confirmed.
"""

import json
import os
import sys
import time

kind, port, address = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
order = sys.argv[4] if len(sys.argv) > 4 else None
host = "127.0.0.1"


def wait_for(what, test, seconds=20):
    end = time.time() + seconds
    while not test():
        if time.time() > end:
            raise SystemExit(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def modbus():
    from pymodbus.client import ModbusTcpClient

    with ModbusTcpClient(host, port=port) as client:
        words = client.read_input_registers(0, count=8, device_id=address).registers
        values = client.convert_from_registers(words, client.DATATYPE.FLOAT32)
        identity = client.read_device_information(device_id=address).information
        confirmed = None
        if order is not None:
            answer = client.write_coil(0, order == "close", device_id=address)
            confirmed = not answer.isError()
        return {"voltage": values[0], "flow": values[3], "confirmed": confirmed, "product": identity[1].decode()}


def iec104():
    import c104

    client = c104.Client()
    connection = client.add_connection(host, port, init=c104.Init.ALL)
    station = connection.add_station(common_address=address)
    voltage = station.add_point(io_address=2001, type=c104.Type.M_ME_NC_1)
    flow = station.add_point(io_address=2004, type=c104.Type.M_ME_NC_1)
    command = station.add_point(
        io_address=1001, type=c104.Type.C_SC_NA_1, command_mode=c104.CommandMode.SELECT_AND_EXECUTE
    )
    client.start()
    # The library may miss that its connection is open at once, as on loopback, and then waits for a word.
    wait_for("a connection", lambda: connection.is_connected)
    time.sleep(0.3)
    if connection.state == c104.ConnectionState.OPEN_MUTED:
        connection.unmute()
    wait_for("an open connection", lambda: connection.state == c104.ConnectionState.OPEN)
    wait_for("a value", lambda: voltage.value != 0)
    synchronised = connection.clock_sync(common_address=address, wait_for_response=True)
    confirmed = None
    if order is not None:
        command.value = order == "close"
        confirmed = command.transmit(cause=c104.Cot.ACTIVATION)
    result = {"voltage": voltage.value, "flow": flow.value, "confirmed": confirmed, "synchronised": synchronised}
    client.stop()
    return result


def dnp3():
    import opendnp3 as o

    values = {}

    class Handler(o.ISOEHandler):
        def BeginFragment(self, info):
            pass

        def EndFragment(self, info):
            pass

        def Process(self, info, items):
            for item in items:
                if isinstance(item, o.IndexedAnalog):
                    values[item.index] = item.value.value

    class Application(o.IMasterApplication):
        pass

    class Listener(o.IChannelListener):
        def OnStateChange(self, state):
            pass

    manager = o.DNP3Manager(1)
    listener, handler, application = Listener(), Handler(), Application()
    place = [o.IPEndpoint(host, port)]
    channel = manager.AddTCPClient("field", o.levels.NOTHING, o.ChannelRetry.Default(), place, host, listener)
    config = o.MasterStackConfig()
    config.master.timeSyncMode = o.TimeSyncMode.NonLAN
    config.link.LocalAddr = 1
    config.link.RemoteAddr = address
    master = channel.AddMaster("master", handler, application, config)
    master.Enable()
    wait_for("analogue inputs", lambda: 3 in values)
    confirmed = None
    if order is not None:
        results = []
        operation = o.TripCloseCode.CLOSE if order == "close" else o.TripCloseCode.TRIP
        block = o.ControlRelayOutputBlock(o.OperationType.PULSE_ON, operation)
        master.SelectAndOperate(block, 0, lambda answer: results.extend(answer.to_list()))
        wait_for("the result of a command", lambda: results)
        confirmed = results[0].status == o.CommandStatus.SUCCESS
    return {"voltage": values[0], "flow": values[3], "confirmed": confirmed}


def phasor():
    import struct

    from pyc37.frame import CommonFrame
    from pyc37.pdc import Pdc

    pdc = Pdc(pdc_id=address, pmu_ip=host, pmu_port=port)
    pdc.logger.handlers.clear()
    pdc.run()
    configuration = pdc.get_config()
    pdc.start()
    octets = b""
    while len(octets) < 4 or len(octets) < struct.unpack_from(">H", octets, 2)[0]:
        octets += pdc.pmu_socket.recv(2048)
    data = octets[: struct.unpack_from(">H", octets, 2)[0]]
    # The library takes FREQ for a deviation in its own range and refuses 60 Hz, so the values are read here.
    phasors = configuration.get_phasor_num()
    volts = struct.unpack_from(">f", data, 16)[0]
    hertz = struct.unpack_from(">f", data, 16 + 8 * phasors)[0]
    intact = CommonFrame._check_crc(data)
    return {"station": configuration.get_station_name(), "volts": volts, "hertz": hertz, "intact": bool(intact)}


result = {"modbus": modbus, "iec104": iec104, "dnp3": dnp3, "phasor": phasor}[kind]()
print("RESULT " + json.dumps(result), flush=True)
# The threads of a library that waits are no concern of the test.
os._exit(0)
